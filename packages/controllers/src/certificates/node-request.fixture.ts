/** An ECDSA key, `/O=system:nodes/CN=system:node:n1`, as openssl made it. */
export const nodeRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHrMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASSNCb6C7VqqmEs
OJ6rZf33RNsojNiqvBhorS+7m0rv800JusAfIqRIhSgCLpisZhWjQeqttxQB/d5f
DivBxaNxoAAwCgYIKoZIzj0EAwIDSAAwRQIhAIenpH6uhCS/W2L2yBtaet9kZSB0
vBK6CixXOeAPMb84AiAxgRgFFu+rkbE4KIT5pNRs4U71ArMwT82zk99lxfZGog==
-----END CERTIFICATE REQUEST-----
`;
