/** What a public endpoint answers in the place of a document: another address. */
export class Redirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}
