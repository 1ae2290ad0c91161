"""Pictures of runs that the server draws: thumbnails of stories and preview cards. Both are the lanes of real records."""
