"""Pictures from outside made into harmless ones. Alone in the application it knows Pillow."""

from orbtile.imaging.codec import PillowCodec

__all__ = ["PillowCodec"]
