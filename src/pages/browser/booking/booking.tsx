import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Refused, request } from '../settings.ts';
import { Details } from './details.tsx';
import type { Booked, Problem, Settings, Slot } from './settings.ts';
import { Times } from './times.tsx';
import { clockOf, dayNumber, dayOf, ownZone, zonesFor } from './zones.ts';

/** Why a booking was not taken. */
function problemOf(error: unknown, { texts }: Settings): Problem {
  if (!(error instanceof Refused)) return { field: null, text: texts.failed };
  const { field } = error.body;
  if (error.status === 429) return { field: null, text: typeof field === 'string' ? texts.noMore : texts.later };
  return typeof field === 'string' ? { field, text: texts.invalid } : { field: null, text: texts.failed };
}

/** The days that are shown at once. */
const shownDays = 7;

const dayLength = 86_400_000;

/** What a guest typed. */
type Person = Readonly<Record<string, string>>;

/** What the browser's history knows of a step, so that its way back leads to the times and not away. */
interface Step {
  readonly chosen?: Slot;
  readonly isBooked?: true;
}

/** Lets a guest choose a time and book it. */
export function Booking({ settings }: { readonly settings: Settings }) {
  const { path, texts, language, timezone, days_ahead: daysAhead } = settings;
  const [zone, setZone] = useState(ownZone());
  const [first, setFirst] = useState(0);
  const [slots, setSlots] = useState<readonly Slot[] | undefined>(settings.slots ?? undefined);
  const [isLoading, setIsLoading] = useState(false);
  const [chosen, setChosen] = useState((history.state as Step | null)?.chosen);
  const [booked, setBooked] = useState<Booked | undefined>();
  const [person, setPerson] = useState<Person>({});
  const [isTaken, setIsTaken] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>();
  const zones = useMemo(() => zonesFor(timezone), []);
  const heading = useRef<HTMLHeadingElement>(null);
  const loads = useRef(0);
  const isFirstView = useRef(true);

  /** Reads the free times of the shown days, and one day more on each side: days begin at another time in another zone. */
  const load = async () => {
    const load = ++loads.current;
    setHasFailed(false);
    setIsTaken(false);
    setIsLoading(true);
    try {
      const now = Date.now();
      const [from, to] = [Math.max(now, now + (first - 1) * dayLength), now + (first + shownDays + 1) * dayLength];
      const times = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
      const answer = await request<{ slots: Slot[] }>(`${path}/slots?${times}`);
      // A later choice may have been answered before.
      if (load === loads.current) setSlots(answer.slots);
    } catch {
      if (load === loads.current) setHasFailed(true);
    } finally {
      if (load === loads.current) setIsLoading(false);
    }
  };
  useEffect(() => {
    if (first > 0 || loads.current > 0 || settings.slots === null) void load();
  }, [first]);
  // Who uses a screen reader or a keyboard is taken to what changed.
  useEffect(() => {
    if (!isFirstView.current) heading.current?.focus();
    isFirstView.current = false;
  }, [chosen, booked]);

  useEffect(() => {
    const goTo = ({ state }: PopStateEvent) => {
      const step = state as Step | null;
      if (step?.isBooked) return location.reload();
      if (booked) void load();
      setBooked(undefined);
      setProblem(undefined);
      setChosen(step?.chosen);
    };
    window.addEventListener('popstate', goTo);
    return () => window.removeEventListener('popstate', goTo);
  });

  const choose = (slot: Slot) => {
    history.pushState({ chosen: slot } satisfies Step, '');
    setChosen(slot);
    // The times that were offered instead are not all there are.
    if (isTaken) void load();
  };

  const book = async (told: Person, clientId: string) => {
    if (!chosen) return;
    setPerson(told);
    setProblem(undefined);
    try {
      const body = { ...told, start_time: chosen.start_time, client_id: clientId };
      const { booking } = await request<{ booking: Booked }>(`${path}/bookings`, { body });
      setBooked(booking);
      // A reload shows the booking, and not the times again.
      // A frame stays where it is, because other sites may not show the page of a booking.
      const address = window.parent === window ? new URL(booking.manage_url).pathname : undefined;
      history.replaceState({ isBooked: true } satisfies Step, '', address);
    } catch (error) {
      const next = error instanceof Refused && error.status === 409 ? (error.body.next_slots as Slot[] | undefined) : undefined;
      if (!next) return setProblem(problemOf(error, settings));
      setIsTaken(true);
      setSlots(next);
      history.back();
    }
  };
  const today = dayNumber(Date.now(), zone);
  const isShown = ({ start_time: start }: Slot) => {
    const day = dayNumber(start, zone) - today;
    return isTaken || (day >= first && day < first + shownDays);
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
        <Details settings={settings} person={person} problem={problem} tell={setPerson} book={book} />
      </section>
    );
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {texts.freeTimes}
      </h2>
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
          {texts.failed}{' '}
          <button type="button" class="plain" onClick={() => void load()}>
            {texts.tryAgain}
          </button>
        </p>
      )}
      <Times slots={slots?.filter(isShown)} isLoading={isLoading} settings={settings} zone={zone} choose={choose} />
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
