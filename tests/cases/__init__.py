"""Programs of known graph breaks, recompiles and fallbacks, and how to hold a watch to them."""
