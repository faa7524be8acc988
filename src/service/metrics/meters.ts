/** What the service tells of its work while it does it, for metrics. Nobody listens by default. */
export interface Meters {
  /** A request was answered. @param operation the name of its endpoint, `page`, or `unknown` */
  readonly request: (operation: string, status: number, seconds: number) => void;
  /** An attempt of a delivery has ended. @param outcome `delivered`, or the type of its failure */
  readonly deliveryAttempt: (outcome: string) => void;
  /** The store has done a read or a transaction, the wait for it included. */
  readonly store: (kind: 'read' | 'write', seconds: number) => void;
}

declare module '../parts.ts' {
  interface Parts {
    /** Undefined when nobody asked for metrics. */
    readonly meters?: Meters | undefined;
  }
}

/** What is measured when somebody asks for it. */
export interface Gauges {
  /** The jobs of each kind: those that are due and not running, and those that are held. */
  readonly jobs: Readonly<Record<string, { readonly due: number; readonly held: number }>>;
  /** The open streams of events. */
  readonly streams: number;
  /** The connections to the model that are in use. */
  readonly modelConnections: number;
}
