const selfSigned = 'the TLS certificate is self-signed: NODE_EXTRA_CA_CERTS can name a file with it';
const unknownAuthority =
  'the TLS certificate is from an authority that is not trusted: NODE_EXTRA_CA_CERTS can name a file with its certificate';

/** Descriptions of network failures, by the error code of Node, OpenSSL or undici. */
const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: no server listens there',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name cannot be resolved right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'this machine has no network for such an address',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'no answer arrived in time',
  UND_ERR_BODY_TIMEOUT: 'the answer was cut off',
  ERR_PROXY_TUNNEL: 'the proxy closed the connection, or did not answer in time',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  CERT_NOT_YET_VALID: 'the TLS certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
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

/** Whether a server's certificate was refused, before a request was sent. Trying again would end the same way. */
export function isCertificateFailure(code: string): boolean {
  return /^(CERT_|UNABLE_TO_|INVALID_CA|PATH_LENGTH_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/.test(code);
}

/** Whether a certificate was refused because its authority is unknown here, which a file of certificates can change. */
export function isUntrusted(code: string): boolean {
  return [selfSigned, unknownAuthority].includes(descriptions[code] ?? '');
}

/** Why a server cannot listen on its address, as a phrase that can follow a colon. @param code the error code of Node */
export function describeListenError(code = ''): string {
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'this user may not use the port';
  if (code === 'EADDRNOTAVAIL') return 'this machine does not have that address';
  return descriptions[code] ?? `the system reports ${code}`;
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
  if (isCertificateFailure(code)) return 'the TLS certificate cannot be verified';
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/.test(code)) return 'the answer is damaged: it cannot be unpacked';
  return code.startsWith('HPE_') ? 'the server does not speak HTTP on this port' : undefined;
}
