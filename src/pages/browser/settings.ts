/** Reads the settings that the page has for an element. */
export function readSettings<Settings>(element: HTMLElement): Settings {
  return JSON.parse(element.dataset.settings ?? '{}') as Settings;
}

/** An answer with an error of the service. */
export class Refused extends Error {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(`The service answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

/**
 * Makes a request to the service of the page, and reads its JSON.
 * @throws Refused for an error of the service, TypeError when it cannot be reached
 */
export async function request<Answer>(path: string, { token, body }: { readonly token?: string | null; readonly body?: object } = {}) {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) throw new Refused(response.status, answer);
  return answer as Answer;
}
