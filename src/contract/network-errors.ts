/** Descriptions of network failures, by the error code of Node, OpenSSL or undici. */
const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: no server listens there',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer arrived in time',
  UND_ERR_BODY_TIMEOUT: 'the answer was cut off',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_PRX_TLS: 'the TLS certificate of the proxy is for another host name',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host name',
};

/**
 * The code of a network failure: the code of the first address when each address failed with its own error; otherwise the code of
 * the error or of its cause.
 */
export function networkErrorCode(error: unknown): string {
  const { code, errors, cause } = error as { code?: unknown; errors?: { code?: unknown }[]; cause?: unknown };
  const first = errors?.[0]?.code ?? code;
  if (typeof first === 'string') return first;
  return cause ? networkErrorCode(cause) : '';
}

/**
 * Describes a network failure as a phrase that can follow a colon.
 * @param code as returned by `networkErrorCode`
 * @returns undefined for a code without a description. The library's own message is no substitute, because it contains paths of
 * its source files
 */
export function describeNetworkError(code: string): string | undefined {
  if (descriptions[code]) return descriptions[code];
  if (/^(ERR_SSL_|EPROTO)/.test(code)) return 'the server does not use TLS on this port';
  if (/^(CERT_|UNABLE_TO_|INVALID_CA|PATH_LENGTH_)/.test(code)) return 'the TLS certificate cannot be verified';
  return code.startsWith('HPE_') ? 'the server does not speak HTTP on this port' : undefined;
}
