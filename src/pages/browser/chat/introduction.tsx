import { useRef, useState } from 'preact/hooks';
import { Refused } from '../settings.ts';
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
  const [problem, setProblem] = useState<{ readonly field: string; readonly text: string } | undefined>();
  const [isBusy, setIsBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  /** Says what was not taken, and goes to that field. */
  const explain = (error: unknown) => {
    const field = error instanceof Refused ? String(error.body.field) : '';
    const isLimited = error instanceof Refused && error.status === 429;
    setProblem({ field, text: field in inputs ? texts.invalid : isLimited ? texts.tooMany : texts.failed });
    setIsBusy(false);
    form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`)?.focus();
  };
  return (
    <form
      class="ask"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        const person = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
        if (isBusy) return;
        setProblem(undefined);
        setIsBusy(true);
        introduce(person).catch(explain);
      }}
    >
      {asks.map((field) => (
        <div key={field}>
          <label for={field}>{texts[field]}</label>
          <input
            id={field}
            name={field}
            {...(inputs[field] as (typeof inputs)['name'])}
            required
            maxLength={200}
            {...(problem?.field === field && { 'aria-invalid': true, 'aria-describedby': 'problem' })}
          />
        </div>
      ))}
      {problem !== undefined && (
        <p class="alarm" role="alert" id="problem">
          {problem.field in inputs && `${texts[problem.field as keyof typeof inputs]}: `}
          {problem.text}
        </p>
      )}
      <button type="submit">{texts.start}</button>
    </form>
  );
}
