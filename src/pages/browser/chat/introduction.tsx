import { useState } from 'preact/hooks';
import type { Settings } from './settings.ts';

/** How a browser helps to fill a field in. */
const inputs = {
  name: { type: 'text', autocomplete: 'name' },
  email: { type: 'email', autocomplete: 'email' },
  phone: { type: 'tel', autocomplete: 'tel' },
} as const;

interface IntroductionProps {
  readonly settings: Settings;
  /** @throws Error when what was told is not taken */
  readonly introduce: (person: Readonly<Record<string, string>>) => Promise<void>;
}

/** Asks the visitor for what the widget wants to know before the first message. */
export function Introduction({ settings: { asks, texts }, introduce }: IntroductionProps) {
  const [hasFailed, setHasFailed] = useState(false);
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        const person = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
        introduce(person).catch(() => setHasFailed(true));
      }}
    >
      {asks.map((field) => (
        <div key={field}>
          <label for={field}>{texts[field]}</label>
          <input id={field} name={field} {...(inputs[field] as (typeof inputs)['name'])} required maxLength={200} />
        </div>
      ))}
      {hasFailed && (
        <p class="alarm" role="alert">
          {texts.failed}
        </p>
      )}
      <button type="submit">{texts.start}</button>
    </form>
  );
}
