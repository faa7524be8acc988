import type { Outbound } from '../../network/outbound.ts';
import { newId } from '../../store/ids.ts';
import type { CallingUser, Conversation } from '../../../contract/areas/functions/request.ts';
import { callFunction } from '../functions/call.ts';
import type { CallOutcome } from '../functions/outcome.ts';
import type { ToolServers } from '../tool-servers/connections.ts';
import type { OfferedTool } from './offer.ts';

declare module '../../parts.ts' {
  interface Parts {
    readonly toolRunner: ToolRunner;
  }
}

/** For whom an agent calls. */
export interface Caller {
  readonly user: CallingUser;
  readonly conversation: Conversation;
  /** By the service's clock. */
  readonly now: number;
}

/** A call whose arguments were checked. */
export interface CheckedCall {
  /** The name by which the model calls the tool. */
  readonly name: string;
  readonly target: Exclude<OfferedTool['target'], { kind: 'media' }>;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Makes the calls of agents. */
export interface ToolRunner {
  /** Never throws. @param signal aborts the call when the answer is out of time */
  run(call: CheckedCall, caller: Caller, signal: AbortSignal): Promise<CallOutcome>;
}

/** Calls functions and tool servers at their addresses. */
export class LiveToolRunner implements ToolRunner {
  readonly #outbound: Outbound;
  readonly #toolServers: ToolServers;

  constructor(outbound: Outbound, toolServers: ToolServers) {
    this.#outbound = outbound;
    this.#toolServers = toolServers;
  }

  async run({ target, arguments: given }: CheckedCall, caller: Caller, signal: AbortSignal): Promise<CallOutcome> {
    if (target.kind === 'tool') return await this.#toolServers.call(target.server, target.tool, given, signal);
    return await callFunction(this.#outbound, target.called, { ...caller, id: newId('call'), arguments: given, signal });
  }
}
