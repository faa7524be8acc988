/** One of the servers in a PostgreSQL URL. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** The URL of only this server, with the user, the password, the database and the options of the whole URL. */
  readonly url: string;
}

/** A parsed PostgreSQL URL. */
interface PostgresAddress {
  /** The servers, in the order in which they are tried. At least one. */
  readonly servers: readonly PostgresServer[];
  /** The servers and the database of the URL, without the user and the password: `h1:5433,h2/db`. */
  readonly shown: string;
  /**
   * Whether connections keep named statements. With a pooler that shares connections among clients they may not:
   * `prepared_statements=off`.
   */
  readonly namesStatements: boolean;
}

const defaultPort = 5432;

/**
 * Parses a PostgreSQL URL with one or more servers, like libpq: `postgres://user@h1:5432,h2:5433/db`, or with the parameters
 * `host` and `port`. Errors do not repeat the URL, because it may contain a password.
 * @throws Error that describes what is wrong
 */
export function parsePostgresAddress(address: string): PostgresAddress {
  const [, scheme, user = '', authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(address) ?? [];
  if (scheme === undefined || /%(?![\da-f]{2})/i.test(authority)) throw new Error('must be a postgres:// address');
  const parameters = new URLSearchParams(query);
  const target = parameters.get('target_session_attrs') ?? 'read-write';
  if (target !== 'read-write' && target !== 'primary')
    throw new Error('needs target_session_attrs=read-write, because the service changes the database');
  const endpoints = parameters.has('host')
    ? pair((parameters.get('host') ?? '').split(','), parameters.get('port')?.split(',') ?? [])
    : authority.split(',').map(splitPort);
  const namesStatements = parameters.get('prepared_statements') !== 'off';
  for (const name of ['host', 'port', 'target_session_attrs', 'prepared_statements']) parameters.delete(name);
  const options = parameters.size > 0 ? `?${parameters.toString()}` : '';
  const servers = endpoints.map(({ host, port }) => ({
    host: host || 'localhost',
    port: parsePort(port),
    url: `${scheme}${user}${inUrl(host || 'localhost')}:${parsePort(port)}${path}${options}`,
  }));
  return { servers, shown: endpoints.map(({ host, port }) => host + (port && `:${port}`)).join(',') + path, namesStatements };
}

interface Endpoint {
  readonly host: string;
  readonly port: string;
}

/** Splits `host:port`, where the host may be an IPv6 address in brackets and the port may be missing. */
function splitPort(text: string): Endpoint {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return { host: bracketed ?? decodeURIComponent(plain), port };
}

/** Assigns a port to each host. A single port applies to all hosts. */
function pair(hosts: readonly string[], ports: readonly string[]): Endpoint[] {
  if (ports.length > 1 && ports.length !== hosts.length) throw new Error(`names ${hosts.length} hosts but ${ports.length} ports`);
  return hosts.map((host, index) => ({ host, port: (ports.length > 1 ? ports[index] : ports[0]) ?? '' }));
}

function parsePort(text: string): number {
  if (text === '') return defaultPort;
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error('names a port that is not a number from 1 to 65535; IPv6 addresses need brackets');
  return port;
}

/** A host in the syntax of a URL: IPv6 addresses in brackets, the folder of a socket encoded. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}
