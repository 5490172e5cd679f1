#!/usr/bin/env node
// Reference adapter: shows what comes in on standard input as one Orbtile session. Node 18 or later, nothing else.
//
//     make 2>&1 | node ref.mjs --title "Build"
//
// A while after the input has ended it takes the session away and ends, too.
// Copy it: `Link` finds Orbtile, has it prove itself, registers, and survives restarts, new tokens and refusals.
// `fetch()` cannot use a Unix socket, so this is `node:http`.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'

const HEARTBEAT_MS = 5000 // after 15 s of silence Orbtile shows the sessions as offline
const CALL_TIMEOUT_MS = 5000
const LONGEST_PAUSE_MS = 5000
const BETWEEN_UPDATES_MS = 250
const DONE_SHOWN_MS = 5000 // the session goes with this program: long enough for people to see that it is done
const MAX_BODY_BYTES = 65536
const KEPT_CHARACTERS = 4000 // Orbtile keeps the last 4096 bytes of a message

// --- finding Orbtile ----------------------------------------------------------------------------------------

export function discoveryFile(platform, env, home) {
  if (env.ORBTILE_API_FILE) return env.ORBTILE_API_FILE
  let folders
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local')
    folders = [
      join(env.USERPROFILE || home, '.orbtile'),
      join(local, 'Orbtile', 'Windows'),
      join(local, 'Orbtile Enterprise', 'Windows'),
    ]
  } else {
    const xdg = env.XDG_DATA_HOME ?? ''
    const linux = isAbsolute(xdg) ? xdg : join(home, '.local', 'share')
    const data = platform === 'darwin' ? join(home, 'Library', 'Application Support') : linux
    folders = [join(data, 'Orbtile'), join(data, 'Orbtile Enterprise')]
  }
  const files = folders.map((folder) => join(folder, 'adapter-api.json'))
  return files.find((file) => existsSync(file)) ?? files[0]
}

/** Try again after `waitMs`, or after a growing pause where that is undefined. */
class Unavailable extends Error {
  constructor(reason, waitMs) {
    super(reason)
    this.waitMs = waitMs
  }
}

/** Orbtile does not know us (any more): register, then send whole sessions. */
class Unregistered extends Error {}

/** What we sent is wrong; sending it again would not help. */
class Refused extends Error {}

function readPlace() {
  const file = discoveryFile(process.platform, process.env, homedir())
  let content
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') throw new Unavailable('Orbtile is not running, or its Adapter API is off')
    throw new Unavailable(`cannot use ${file}: ${error.code ?? error.name}`)
  }
  const { socketPath, port, basePath, token } = content ?? {}
  if (typeof token !== 'string' || typeof basePath !== 'string' || !(socketPath || Number.isInteger(port))) {
    throw new Unavailable(`cannot use ${file}: fields are missing`)
  }
  return { address: socketPath ? { socketPath } : { host: '127.0.0.1', port }, basePath, token }
}

// --- one request --------------------------------------------------------------------------------------------

/** One request on its own connection. Tokens go into headers and nowhere else. */
function exchange(place, method, path, body, extra = {}) {
  const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body).replace(/\p{Surrogate}/gu, '\ufffd'))
  if (data && data.length > MAX_BODY_BYTES) throw new Refused(`a body of ${data.length} bytes is too large`)
  const headers = { Host: 'localhost', 'Content-Type': 'application/json', ...extra }
  headers.Authorization = `Bearer ${place.token}`
  if (data) headers['Content-Length'] = data.length // or Node would send chunks
  return new Promise((resolve, reject) => {
    const fail = (error) => reject(new Unavailable(`Orbtile does not answer (${error.code ?? error.name})`))
    const options = { ...place.address, method, path: place.basePath + path, headers, agent: false }
    const request = http.request({ ...options, timeout: CALL_TIMEOUT_MS }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', fail)
      response.on('aborted', () => fail(new Error('the reply was cut')))
      response.on('end', () => {
        const wait = response.headers['retry-after'] ?? ''
        const text = Buffer.concat(chunks).toString('utf8')
        try {
          const reply = text ? JSON.parse(text) : {}
          const retryMs = /^\d+$/.test(wait) ? Number(wait) * 1000 : undefined
          resolve({ status: response.statusCode, reply: reply ?? {}, retryMs })
        } catch (error) {
          fail(error)
        }
      })
    })
    request.on('timeout', () => request.destroy(new Error('timeout')))
    request.on('error', fail)
    request.end(data)
  })
}

// --- the link -----------------------------------------------------------------------------------------------

class Link {
  constructor(adapterId, registration) {
    this.adapterId = adapterId
    this.registration = registration
    this.place = undefined
    this.isRegistered = false
  }

  async register() {
    this.isRegistered = false
    const reply = await this.call('PUT', '', this.registration)
    this.isRegistered = true
    return reply
  }

  async call(method, path, body) {
    const target = `/adapters/${this.adapterId}${path}`
    const place = this.place ?? (await this.connect())
    let answer = await exchange(place, method, target, body)
    if (answer.status === 401) {
      // the token is new: read the file once more
      answer = await exchange(await this.connect(), method, target, body)
    }
    const { status, reply, retryMs } = answer
    if (status >= 200 && status < 300) return reply
    const code = reply.error?.code
    if (code === 'adapter_not_registered') {
      this.isRegistered = false
      throw new Unregistered(code)
    }
    if (status === 401 || status === 429 || status >= 500 || code === 'limit_exceeded') {
      if (retryMs === undefined) this.place = undefined
      throw new Unavailable(`Orbtile says ${code ?? status}`, retryMs)
    }
    throw new Refused(`Orbtile refused it: ${code ?? status} ${reply.error?.field ?? ''}`.trim())
  }

  /** The listener must prove that it knows the token before it gets anything else. */
  async connect() {
    this.place = undefined
    const place = readPlace()
    const nonce = randomBytes(16).toString('hex')
    const { status, reply, retryMs } = await exchange(place, 'GET', '/info', undefined, { 'X-Orbtile-Nonce': nonce })
    if (status !== 200) throw new Unavailable(`Orbtile says ${reply.error?.code ?? status}`, retryMs)
    const proof = Buffer.from(createHmac('sha256', place.token).update(nonce).digest('hex'))
    const given = Buffer.from(String(reply.proof))
    if (given.length !== proof.length || !timingSafeEqual(given, proof)) {
      throw new Unavailable('the listener did not prove that it is Orbtile')
    }
    this.place = place
    return place
  }

  /** Take the sessions away; best effort. */
  async goodbye() {
    if (!this.isRegistered || !this.place) return
    await exchange(this.place, 'DELETE', `/adapters/${this.adapterId}`).catch(() => {})
  }
}

// --- the made-up agent --------------------------------------------------------------------------------------

class Agent {
  constructor(link, title) {
    this.link = link
    this.wanted = { title, activity: 'starting', cwd: process.cwd().slice(-1000) }
    this.known = {}
    this.lines = []
    this.messages = 0
    this.failures = 0
    this.quietUntil = 0 // milliseconds of performance.now(), like every time here
    this.sendDue = 0
    this.heartbeatDue = 0
    this.stopped = false
    this.wake = () => {}
  }

  /** A new message id starts the key's typewriter anew; the same one lets it go on. */
  showLine(line) {
    if (this.lines.length === 0 || this.lines.length >= 20) {
      this.messages += 1
      this.lines = []
    }
    this.lines.push(tail(line))
    this.wanted.message = { id: `m${this.messages}`, text: tail(this.lines.join('\n')) }
    this.wanted.activity = 'streaming'
    this.wake()
  }

  finish() {
    this.wanted.activity = 'done'
    this.wake()
    setTimeout(() => this.stop(), DONE_SHOWN_MS).unref()
  }

  stop() {
    this.stopped = true
    this.wake()
  }

  async run() {
    while (!this.stopped) {
      const now = performance.now()
      if (now >= this.quietUntil) await this.sync(now)
      const due = Math.max(this.quietUntil, Math.min(this.heartbeatDue, this.isDirty ? this.sendDue : Infinity))
      await this.sleep(Math.max(20, due - performance.now()))
    }
  }

  sleep(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(milliseconds, HEARTBEAT_MS))
      this.wake = () => {
        // a new line is no reason to break a pause
        if (this.stopped || performance.now() >= Math.max(this.quietUntil, this.sendDue)) {
          clearTimeout(timer)
          resolve()
        }
      }
    })
  }

  get isDirty() {
    return Object.keys(this.changes()).length > 0
  }

  /** The fields that Orbtile does not have as they are; it keeps what is absent. */
  changes() {
    const differs = ([name, value]) => JSON.stringify(this.known[name]) !== JSON.stringify(value)
    return Object.fromEntries(Object.entries(this.wanted).filter(differs))
  }

  async sync(now) {
    try {
      if (!this.link.isRegistered) await this.register()
      const changes = this.changes()
      if (Object.keys(changes).length > 0 && now >= this.sendDue) {
        await this.link.call('POST', '/sessions/ref', changes)
        Object.assign(this.known, changes)
        this.sendDue = performance.now() + BETWEEN_UPDATES_MS
      }
      if (performance.now() >= this.heartbeatDue) {
        await this.link.call('POST', '/heartbeat')
        this.heartbeatDue = performance.now() + HEARTBEAT_MS
      }
      this.failures = 0
    } catch (error) {
      if (error instanceof Unregistered) return
      if (!(error instanceof Unavailable)) throw error
      if (this.failures === 0) say(error.message)
      this.pause(error.waitMs)
    }
  }

  /** A new registration knows no session: what follows is whole. */
  async register() {
    const reply = await this.link.register()
    this.known = {}
    this.heartbeatDue = performance.now() + HEARTBEAT_MS
    if (reply.reason === 'awaiting_user') say('press Allow in Orbtile, Settings, Agents')
    if (reply.reason === 'disabled_by_user') say('you denied this adapter in Orbtile')
  }

  /** As long as Orbtile asked for, else longer and longer, and not in step with others. */
  pause(waitMs) {
    const growing = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** this.failures) * (0.8 + Math.random() * 0.4)
    if (waitMs === undefined) this.failures = Math.min(this.failures + 1, 10)
    this.quietUntil = performance.now() + (waitMs ?? growing)
  }
}

/** The end of a text, without cutting a character in two. */
function tail(text) {
  return text.length <= KEPT_CHARACTERS ? text : text.slice(-KEPT_CHARACTERS).replace(/^[\udc00-\udfff]/, '')
}

/** To people; never a token. */
function say(text) {
  process.stderr.write(`ref.mjs: ${text}\n`)
}

/** At most 120 characters, and something to see. */
function titleOf(text) {
  const title = [...text.replace(/\p{C}/gu, ' ').trim()].slice(0, 120).join('')
  return title || 'Reference adapter'
}

/** Line by line, however long and of whatever bytes; no `readline`, which would also split at U+2028. */
function readLines(stream, onLine, onEnd) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) onLine(line.replace(/\r$/, ''))
  })
  stream.on('end', () => {
    if (rest) onLine(rest)
    onEnd()
  })
  stream.on('error', onEnd)
}

async function main() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      id: { type: 'string', default: 'org.example.ref-node' },
      title: { type: 'string', default: 'Reference adapter (Node)' },
    },
  })
  if (values.help) {
    process.stdout.write('usage: COMMAND 2>&1 | node ref.mjs [--title TITLE] [--id ADAPTER_ID]\n')
    return
  }
  const registration = { name: 'Reference (Node)', palette: { baseHue: 130, attentionHue: 330 }, version: '1.0.0' }
  const link = new Link(values.id, registration)
  const agent = new Agent(link, titleOf(values.title))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => agent.stop())
  readLines(process.stdin, (line) => agent.showLine(line), () => agent.finish())
  try {
    await agent.run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    say(error.message)
    process.exitCode = 1
  }
  await link.goodbye()
  process.stdin.destroy()
}

await main()
