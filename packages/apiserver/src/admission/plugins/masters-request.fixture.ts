/** An ECDSA key, `/O=system:masters/CN=eve`, made by openssl. */
export const mastersRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHjMIGJAgEAMCcxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQwwCgYDVQQDDANl
dmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASSNCb6C7VqqmEsOJ6rZf33RNso
jNiqvBhorS+7m0rv800JusAfIqRIhSgCLpisZhWjQeqttxQB/d5fDivBxaNxoAAw
CgYIKoZIzj0EAwIDSQAwRgIhAOg7RCeygcxNcuvYQ7uRwejwOF3ARhOrmiuHutnz
aMVYAiEAqk1gewB9Cw/rHriPbea8ow0FT1rHCfIAmkTWQ2DLbNw=
-----END CERTIFICATE REQUEST-----
`;
