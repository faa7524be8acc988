import { useMemo, useState } from 'preact/hooks';
import type { Settings } from './settings.ts';

interface DetailsProps {
  readonly settings: Settings;
  readonly hasFailed: boolean;
  /** Books with what the guest told. A repetition with the same id books once. */
  readonly book: (person: Readonly<Record<string, string>>, clientId: string) => Promise<void>;
  readonly back: () => void;
}

/** Asks the guest who they are. */
export function Details({ settings: { ask, texts }, hasFailed, book, back }: DetailsProps) {
  const clientId = useMemo(() => crypto.randomUUID(), []);
  const [isBooking, setIsBooking] = useState(false);
  const label = (field: 'email' | 'company' | 'note') => (
    <label for={field}>
      {texts[field]} <span>({texts.optional})</span>
    </label>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
        setIsBooking(true);
        void book(Object.fromEntries(given) as Record<string, string>, clientId).finally(() => setIsBooking(false));
      }}
    >
      <label for="name">{texts.name}</label>
      <input id="name" name="name" autocomplete="name" required maxLength={200} />
      <label for="phone_number">{texts.phone}</label>
      <input id="phone_number" name="phone_number" type="tel" autocomplete="tel" required maxLength={50} />
      {ask.includes('email') && (
        <>
          {label('email')}
          <input id="email" name="email" type="email" autocomplete="email" maxLength={200} />
        </>
      )}
      {ask.includes('company') && (
        <>
          {label('company')}
          <input id="company" name="company" autocomplete="organization" maxLength={200} />
        </>
      )}
      {ask.includes('note') && (
        <>
          {label('note')}
          <textarea id="note" name="note" rows={3} maxLength={2_000} />
        </>
      )}
      {hasFailed && (
        <p class="alert" role="alert">
          {texts.failed}
        </p>
      )}
      <div class="row">
        <button type="submit" disabled={isBooking}>
          {texts.book}
        </button>
        <button type="button" class="plain" onClick={back}>
          {texts.otherTime}
        </button>
      </div>
    </form>
  );
}
