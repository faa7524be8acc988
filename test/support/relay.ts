import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Relays connections to a port, and can lose them. */
export class Relay {
  #isLost = false;
  readonly #sockets = new Set<Socket>();
  readonly #server;

  private constructor(port: number) {
    this.#server = createServer((socket) => {
      if (this.#isLost) return void socket.destroy();
      const onward = connect(port, '127.0.0.1');
      for (const each of [socket, onward]) {
        this.#sockets.add(each);
        each.on('error', () => {}).on('close', () => (socket.destroy(), onward.destroy(), this.#sockets.delete(each)));
      }
      socket.pipe(onward).pipe(socket);
    });
  }

  static async open(port: number): Promise<Relay> {
    const relay = new Relay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Loses all connections, and each that is opened until `mend`. */
  lose(): void {
    this.#isLost = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isLost = false;
  }

  async close(): Promise<void> {
    this.lose();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
