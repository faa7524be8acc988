import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent, type buildConnector } from 'undici';
import { tolerantConnector } from './interim-answers.ts';
import { bareHost, isRefusedAddress, isRefusedHost, type PrivateAddresses } from './addresses.ts';

/** Connections to the address are not allowed. */
export class RefusedAddress extends Error {
  constructor() {
    super('The address is private: connections to it are not allowed');
    this.name = 'RefusedAddress';
  }
}

interface AgentOptions {
  /** The time limit of a connection attempt, in milliseconds. */
  readonly timeout: number;
  /** The maximum number of connections to one origin, which are kept open for later requests; by default, unlimited. */
  readonly connections?: number;
  /** Resolves names; by default, the system's resolver. */
  readonly lookup?: typeof systemLookup | undefined;
}

/**
 * Creates an agent for requests to addresses that users enter. It enforces the rules on private addresses at each connection.
 * @param allowPrivate which private addresses are allowed
 */
export function guardedAgent(allowPrivate: PrivateAddresses, { timeout, connections, lookup = systemLookup }: AgentOptions): Agent {
  const connect = tolerantConnector({ timeout, lookup: allowPrivate === true ? lookup : guarded(lookup, allowPrivate) });
  return new Agent({
    allowH2: false,
    connect: allowPrivate === true ? connect : guardedConnect(connect, allowPrivate),
    connections: connections ?? null,
    pipelining: 1,
    keepAliveTimeout: 10_000,
  });
}

/** Resolves names, and fails when any address is not allowed. */
function guarded(lookup: typeof systemLookup, allowPrivate: PrivateAddresses): typeof systemLookup {
  const guard = (name: string, options: object, done: (error: Error | null, ...found: unknown[]) => void) =>
    lookup(name, { ...options, all: true }, (error: Error | null, found: LookupAddress[]) => {
      if (error) return done(error);
      if (found.length === 0 || found.some(({ address }) => isRefusedAddress(address, allowPrivate))) return done(new RefusedAddress());
      if ((options as { all?: boolean }).all) return done(null, found);
      done(null, found[0]?.address, found[0]?.family);
    });
  return guard as unknown as typeof systemLookup;
}

/**
 * Connects only to addresses that are allowed. IP addresses in URLs bypass the lookup, so they are checked here. The address of the open
 * connection is checked too.
 */
function guardedConnect(connect: buildConnector.connector, allowPrivate: PrivateAddresses): buildConnector.connector {
  return (options, done) => {
    if (isRefusedHost(bareHost(options.hostname), allowPrivate)) return done(new RefusedAddress(), null);
    connect(options, (...[error, socket]) => {
      if (error) return done(error, null);
      if (!isRefusedAddress(socket.remoteAddress ?? '', allowPrivate)) return done(null, socket);
      socket.destroy();
      done(new RefusedAddress(), null);
    });
  };
}
