"""Pictures without a screen. Needs the `render` extra; PyVista is loaded when the first picture is made."""

from supple.render.camera import Camera
from supple.render.renderer import CLAY, Renderer, picture
from supple.render.sheet import contact_sheet, save_picture

__all__ = ["CLAY", "Camera", "Renderer", "contact_sheet", "picture", "save_picture"]
