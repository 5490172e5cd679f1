import pytest

from orbtile.protocol import grammar


@pytest.mark.parametrize(
    "text", ["dev.aider", "com.example.agent", "a.b", "0.1", "a-b.c-d.e", "x." + "y" * 62]
)
def test_a_reverse_dns_id_is_an_adapter_id(text: str) -> None:
    assert grammar.is_adapter_id(text)
    assert not grammar.is_reserved_id(text)


@pytest.mark.parametrize(
    "text", ["claude-code", "codex", "zcode", "x", "", "com.orbtile", "com.orbtile.x", "com.orbtile.BAD"]
)
def test_ids_without_a_dot_and_our_own_are_reserved(text: str) -> None:
    assert grammar.is_reserved_id(text)


@pytest.mark.parametrize("text", ["com.orbtiles", "com.orbtile-x.y", "org.orbtile.x", "com.example.orbtile"])
def test_similar_ids_are_not_reserved(text: str) -> None:
    assert not grammar.is_reserved_id(text)
    assert grammar.is_adapter_id(text)


@pytest.mark.parametrize(
    "text", ["a.b\n", "A.b", "a..b", ".a", "a.", "a.-b", "a-.b", "a.b--c", "x." + "y" * 63, "é.b", "a b.c"]
)
def test_other_text_is_no_adapter_id(text: str) -> None:
    assert not grammar.is_adapter_id(text)


@pytest.mark.parametrize("text", ["com.example", "A-1.b-2", "a.b", "a." + "b" * 126])
def test_a_bundle_id(text: str) -> None:
    assert grammar.BUNDLE_ID.fullmatch(text)


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("https://example.com", "https"),
        ("HTTPS://EXAMPLE.com/%20?a=b&c=%C3%A9#f", "https"),
        ("myagent://run/7", "myagent"),
        ("myagent:", "myagent"),
        ("x-agent+1.0:open?session=7", "x-agent+1.0"),
        ("https://user@[::1]:8080/a;b=c/d,e?f/g?h#i/j?k", "https"),
        ("https://[v1.a:b]/", "https"),
        ("mailto:a@example.com", "mailto"),
        ("myagent:/run//7", "myagent"),
        ("https:///path", "https"),
        ("a" * 32 + ":x", "a" * 32),
        ("a" * 33 + ":x", None),
        ("", None),
        ("https", None),
        ("://x", None),
        ("1a:x", None),
        ("a b:x", None),
        ("https://exa mple.com", None),
        ("https://example.com/\x7f", None),
        ("https://example.com/é", None),
        ("https://example.com/%", None),
        ("https://example.com/%4", None),
        ("https://example.com/%4g", None),
        ("https://example.com/a\n", None),
        ("https://example.com:port/", None),
        ("https://a@b@c/", None),
        ("https://exam[ple.com", None),
        ("https://example.com/#a#b", None),
        ('https://example.com/"', None),
        ("https://example.com\\@evil.com", None),
    ],
)
def test_the_scheme_of_a_uri(url: str, scheme: str | None) -> None:
    assert grammar.uri_scheme(url) == scheme


@pytest.mark.parametrize(
    "url", ["https://example.com", "https://example.com/a?b#c", "https://[::1]/", "https://a:1/"]
)
def test_an_https_address_names_a_host(url: str) -> None:
    assert grammar.is_https_url(url)


@pytest.mark.parametrize(
    "url",
    ["http://a", "HTTPS://a", "https:a", "https://", "https:///a", "https://?a", "https://:80", "https:// a"],
)
def test_other_addresses_are_no_https_address(url: str) -> None:
    assert not grammar.is_https_url(url)


def test_only_a_listed_scheme_opens_and_case_does_not_matter() -> None:
    assert grammar.is_openable("MyAgent://run", ("https", "myagent"))
    assert not grammar.is_openable("other://run", ("https", "myagent"))
    assert not grammar.is_openable("https", ("https",))


@pytest.mark.parametrize("scheme", sorted(grammar.REFUSED_SCHEMES))
def test_a_refused_scheme_never_opens_even_if_it_is_listed(scheme: str) -> None:
    assert not grammar.is_openable(f"{scheme}:x", (scheme,))
    assert not grammar.is_openable(f"{scheme.upper()}:x", (scheme,))


def test_a_hostile_address_is_refused_quickly() -> None:
    for part in ("a", "/a", "%41", "a@", ":1", "?a", "a."):
        assert grammar.uri_scheme(f"https://{part * 2000}\n") is None
