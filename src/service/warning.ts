/** What the log says of something that the service does without: it has no stack, because nothing is wrong in the program. */
export class Warning extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Warning';
  }
}
