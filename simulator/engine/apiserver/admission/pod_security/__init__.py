"""PodSecurity admission: the Pod Security Standards, held to a pod by labels of its namespace."""
