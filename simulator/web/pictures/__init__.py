"""Pictures of runs and stories: thumbnails, preview cards, and the meta tags for them."""
