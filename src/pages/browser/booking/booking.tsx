import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Refused, request } from '../settings.ts';
import { Details } from './details.tsx';
import type { Booked, Settings, Slot } from './settings.ts';
import { Times } from './times.tsx';
import { clockOf, dayOf, ownZone, zonesFor } from './zones.ts';

/** The days that are shown at once. */
const shownDays = 7;

const dayLength = 86_400_000;

/** Lets a guest choose a time and book it. */
export function Booking({ settings }: { readonly settings: Settings }) {
  const { path, texts, language, timezone, days_ahead: daysAhead } = settings;
  const [zone, setZone] = useState(ownZone());
  const [first, setFirst] = useState(0);
  const [slots, setSlots] = useState<readonly Slot[] | undefined>();
  const [chosen, setChosen] = useState<Slot | undefined>();
  const [booked, setBooked] = useState<Booked | undefined>();
  const [isTaken, setIsTaken] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const zones = useMemo(() => zonesFor(timezone), []);
  const heading = useRef<HTMLHeadingElement>(null);

  const load = async () => {
    const from = Date.now() + first * dayLength;
    const times = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(from + shownDays * dayLength).toISOString() });
    setSlots(undefined);
    setSlots((await request<{ slots: Slot[] }>(`${path}/slots?${times}`)).slots);
  };
  useEffect(() => {
    load().catch(() => setHasFailed(true));
  }, [first]);
  // Who uses a screen reader is taken to what changed.
  useEffect(() => {
    if (chosen ?? booked) heading.current?.focus();
  }, [chosen, booked]);

  const book = async (person: Readonly<Record<string, string>>, clientId: string) => {
    if (!chosen) return;
    setHasFailed(false);
    try {
      const body = { ...person, start_time: chosen.start_time, client_id: clientId };
      setBooked((await request<{ booking: Booked }>(`${path}/bookings`, { body })).booking);
    } catch (error) {
      const next = error instanceof Refused && error.status === 409 ? (error.body.next_slots as Slot[] | undefined) : undefined;
      if (!next) return setHasFailed(true);
      setIsTaken(true);
      setSlots(next);
      setChosen(undefined);
    }
  };

  if (booked)
    return (
      <section>
        <h2 ref={heading} tabIndex={-1}>
          {texts.booked}
        </h2>
        <p>
          <time dateTime={booked.start_time}>
            {dayOf(booked.start_time, language, zone)}, {clockOf(booked.start_time, language, zone)} ({zone})
          </time>
        </p>
        <p class="row">
          <a class="button" href={new URL(booked.ics_url).pathname}>
            {texts.calendar}
          </a>
          <a href={new URL(booked.manage_url).pathname} target="_blank" rel="noopener">
            {texts.cancel}
          </a>
        </p>
      </section>
    );
  if (chosen)
    return (
      <section>
        <h2 ref={heading} tabIndex={-1}>
          {dayOf(chosen.start_time, language, zone)}, {clockOf(chosen.start_time, language, zone)} ({zone})
        </h2>
        <Details settings={settings} hasFailed={hasFailed} book={book} back={() => setChosen(undefined)} />
      </section>
    );
  return (
    <section>
      <h2>{texts.freeTimes}</h2>
      <label for="zone">{texts.zone}</label>
      <select id="zone" value={zone} onChange={({ currentTarget }) => setZone(currentTarget.value)}>
        {zones.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {isTaken && (
        <p class="alert" role="alert">
          {texts.taken}
        </p>
      )}
      {hasFailed && (
        <p class="alert" role="alert">
          {texts.failed}
        </p>
      )}
      <Times slots={slots} settings={settings} zone={zone} choose={setChosen} />
      <div class="row">
        <button type="button" class="plain" disabled={first === 0} onClick={() => setFirst(Math.max(0, first - shownDays))}>
          {texts.earlierDays}
        </button>
        <button type="button" class="plain" disabled={first + shownDays > daysAhead} onClick={() => setFirst(first + shownDays)}>
          {texts.laterDays}
        </button>
      </div>
    </section>
  );
}
