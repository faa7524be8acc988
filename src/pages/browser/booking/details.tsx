import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { randomId } from '../random-id.ts';
import type { Problem, Settings } from './settings.ts';

interface DetailsProps {
  readonly settings: Settings;
  /** What the guest typed before. */
  readonly person: Readonly<Record<string, string>>;
  readonly problem: Problem | undefined;
  /** Called with all that the guest typed, whenever that changes. */
  readonly tell: (person: Readonly<Record<string, string>>) => void;
  /** Books with what the guest told. A repetition with the same id books once. */
  readonly book: (person: Readonly<Record<string, string>>, clientId: string) => Promise<void>;
}

/** How a browser helps to fill a field in. */
const inputs = {
  name: { type: 'text', autocomplete: 'name', maxLength: 200 },
  phone_number: { type: 'tel', autocomplete: 'tel', maxLength: 50 },
  email: { type: 'email', autocomplete: 'email', maxLength: 200 },
  company: { type: 'text', autocomplete: 'organization', maxLength: 200 },
  note: { type: 'text', autocomplete: 'off', maxLength: 2_000 },
} as const;

const required: readonly string[] = ['name', 'phone_number'];

function told(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== '')) as Record<string, string>;
}

/** Asks the guest who they are. */
export function Details({ settings: { ask, texts }, person, problem, tell, book }: DetailsProps) {
  const clientId = useMemo(() => randomId(), []);
  const [isBooking, setIsBooking] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem?.field) form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(problem.field)}"]`)?.focus();
  }, [problem]);
  const fields = ['name', 'phone_number', ...ask] as const;
  return (
    <form
      ref={form}
      onInput={({ currentTarget }) => tell(told(currentTarget))}
      onSubmit={(event) => {
        event.preventDefault();
        setIsBooking(true);
        void book(told(event.currentTarget), clientId).finally(() => setIsBooking(false));
      }}
    >
      {fields.map((field) => {
        const isRequired = required.includes(field);
        const isWrong = problem?.field === field;
        const shared = {
          id: field,
          name: field,
          required: isRequired,
          defaultValue: person[field] ?? '',
          'aria-invalid': isWrong,
          ...(isWrong && { 'aria-describedby': `${field}-problem` }),
        };
        return (
          <div key={field}>
            <label for={field}>
              {field === 'phone_number' ? texts.phone : texts[field]} {!isRequired && <span>({texts.optional})</span>}
            </label>
            {field === 'note' ? (
              <textarea {...shared} rows={3} maxLength={inputs.note.maxLength} />
            ) : (
              <input {...shared} {...inputs[field]} />
            )}
            {isWrong && (
              <p class="alert" id={`${field}-problem`}>
                {problem.text}
              </p>
            )}
          </div>
        );
      })}
      {problem && !fields.some((field) => field === problem.field) && (
        <p class="alert" role="alert">
          {problem.text}
        </p>
      )}
      <div class="row">
        <button type="submit" disabled={isBooking}>
          {texts.book}
        </button>
        <button type="button" class="plain" onClick={() => history.back()}>
          {texts.otherTime}
        </button>
      </div>
    </form>
  );
}
