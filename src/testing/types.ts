/** How a service for tests starts. */
export interface ServiceOptions {
  /** Freeze the clock at this instant: ISO 8601, or a Date. By default, the clock runs. */
  readonly clock?: string | Date;
  /**
   * Make ids, keys, tokens and secrets the same in each run. Needs `clock`. Services with a seed must not run at the same time in one
   * process.
   */
  readonly seed?: number;
  /** The port of 127.0.0.1 to listen on. By default, any free one. */
  readonly port?: number;
  /** Fill the account with two sub-accounts and a history of 92 days. */
  readonly demo?: boolean;
  /** Allow plain http and private addresses of receivers on other machines too. Those of this machine always work. */
  readonly allowPrivateReceivers?: boolean;
  /** Called for errors of the service that no answer tells. By default, they are thrown as uncaught errors, which fails the test. */
  readonly onError?: (error: unknown) => void;
}

/** An answer of the service, as its documents describe it. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects by asserting it
export type Answer = any;

/** The service's clock. */
export interface ServiceClock {
  now(): Promise<Date>;
  /** Stops it, at an instant that must not be in its past; by default, where it is. */
  freeze(at?: string | Date): Promise<void>;
  /** Moves it on, and runs what falls due meanwhile, in order. */
  advance(seconds: number): Promise<void>;
  /** Lets it run from where it is. */
  run(): Promise<void>;
}

/** A service that runs in the process of a test. Close it with `await using`, or by `close()`. */
export interface Service extends AsyncDisposable {
  /** The address of the interface, such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** The main key of the first account, which is an agency. */
  readonly apiKey: string;
  readonly accountId: string;
  /** The address of the sandbox, and its token: for what has no method here. */
  readonly sandboxUrl: string;
  readonly sandboxToken: string;
  readonly clock: ServiceClock;
  /**
   * Calls the interface with the main key, or another one.
   * @throws ServiceError when it is refused
   */
  call(method: string, path: string, body?: object, apiKey?: string): Promise<Answer>;
  /**
   * Calls the sandbox, such as `control('POST', '/rebuild-counts')`.
   * @throws ServiceError when it is refused
   */
  control(method: string, path: string, body?: object): Promise<Answer>;
  /** Waits until all work that is due is done: deliveries, replies, imports. */
  settle(): Promise<void>;
  /** Empties the service. The keys and accounts of before are gone; the new ones are in `apiKey` and `accountId`. */
  reset(): Promise<void>;
  /** Creates an account of its own, with its key. */
  createAccount(account?: { name?: string; email?: string; plan?: object }): Promise<{ account_id: string; api_key: string }>;
  /** Changes the plan, the credits or settings of an account; by default, of the first. */
  updateAccount(changes: object, accountId?: string): Promise<Answer>;
  /** Adds a team member. Answers an ID token, which the interface takes in the place of a key. */
  addMember(member: { name: string; email: string; permissions: readonly string[]; role?: 'owner' | 'member' }): Promise<Answer>;
  /** Connects a number or an account on a channel. */
  addChannel(channel: string, identity: string): Promise<Answer>;
  /** A contact writes. Answers who answered, and what. */
  receive(message: { channel: string; from: string; text: string; to?: string; first_name?: string }): Promise<Answer>;
  /** What an agent would answer, without any effect. */
  ask(agentId: string, question: string): Promise<Answer>;
  /** Reports what became of a message. */
  reportDelivery(messageId: string, status: 'delivered' | 'read' | 'failed'): Promise<Answer>;
  /** Decides the review of a template. */
  reviewTemplate(templateId: string, outcome: 'approved' | 'rejected', reason?: string): Promise<Answer>;
  /** Emits an event with a made-up record, or with this one. */
  emit(event: string, data?: object): Promise<Answer>;
  /** The deliveries to webhooks, the newest first, with all attempts. */
  deliveries(): Promise<Answer[]>;
  /** The requests to the interface, the newest first. */
  requests(): Promise<Answer[]>;
  /** Makes requests fail: `{ match: { path: '/tags*' }, status: 503, times: 3 }`. */
  addFault(fault: object): Promise<Answer>;
  clearFaults(): Promise<void>;
  /** Holds jobs of these kinds, or all of them, until they are released by an empty list. */
  holdJobs(kinds: 'all' | readonly string[]): Promise<Answer>;
  /** Writes everything that the service holds, with its clock, to a file. */
  save(file: string): Promise<void>;
  /** Puts everything that a file holds in the place of what the service holds. `accountId` is that of the file; `apiKey` stays. */
  load(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The service refused a call. */
export interface ServiceError extends Error {
  readonly status: number;
  /** The whole answer. */
  readonly answer: Answer;
}
