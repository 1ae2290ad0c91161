"""Pictures of runs and stories: thumbnails, preview cards, and the tags that name them."""
