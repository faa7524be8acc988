import { Agent, type AgentOptions } from 'node:https';

/** Creates TLS connections. In a module of its own, because commands that use none load faster without TLS. */
export function tlsAgent(options: AgentOptions): Agent {
  return new Agent(options);
}
