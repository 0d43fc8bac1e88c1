"""Programs whose graph breaks, recompiles and fallbacks are known, and how to hold a watch to them."""
