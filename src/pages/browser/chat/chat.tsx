import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Texts } from '../../texts.ts';
import { Attention } from './attention.ts';
import { Conversation, type State } from './conversation.ts';
import { Introduction } from './introduction.tsx';
import { LinkedText } from './linked-text.tsx';
import { Memory } from './memory.ts';
import type { Message, Settings, Unsent } from './settings.ts';

/** The most characters of a message. */
const longest = 4_000;

/** A chat: its heading, the messages, and where the visitor writes. */
export function Chat({ settings }: { readonly settings: Settings }) {
  const { title, greeting, texts } = settings;
  const memory = useMemo(() => new Memory(settings.path), []);
  const attention = useMemo(() => new Attention(memory), []);
  const [isNotified, setIsNotified] = useState(attention.isWanted);
  const [state, setState] = useState<State | undefined>();
  const conversation = useMemo(
    () =>
      new Conversation(
        settings,
        memory,
        setState,
        (message) => attention.tell(message, title),
        () => attention.isWanted,
      ),
    [],
  );
  useEffect(() => conversation.begin(), []);
  const shown = state ?? conversation.state;
  const wasAsking = useRef(shown.mustIntroduce);
  useEffect(() => {
    if (wasAsking.current && !shown.mustIntroduce) document.querySelector('textarea')?.focus();
    wasAsking.current = shown.mustIntroduce;
  }, [shown.mustIntroduce]);
  return (
    <main class="chat">
      <header>
        <h1>{title}</h1>
        <button
          type="button"
          aria-label={texts.notify}
          aria-pressed={isNotified}
          title={texts.notify}
          onClick={() => setIsNotified((attention.isWanted = !isNotified))}
        >
          <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
            <path d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4" />
            {!isNotified && <path d="M4 3l16 18" />}
          </svg>
        </button>
      </header>
      {shown.mustIntroduce ? (
        <Introduction settings={settings} introduce={(person) => conversation.introduce(person)} />
      ) : (
        <>
          <Log greeting={greeting} state={shown} settings={settings} conversation={conversation} />
          {shown.isOffline && (
            <p class="state" role="status">
              {texts.offline}
            </p>
          )}
          {shown.isGone ? (
            <p class="state" role="status">
              {texts.gone}
            </p>
          ) : (
            <Writing texts={texts} memory={memory} write={(text) => conversation.write(text)} />
          )}
        </>
      )}
    </main>
  );
}

interface LogProps {
  readonly greeting: string | null;
  readonly state: State;
  readonly settings: Settings;
  readonly conversation: Conversation;
}

function Log({ greeting, state, settings, conversation }: LogProps) {
  const { texts, language } = settings;
  const scroll = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNews, setHasNews] = useState(false);
  const [first, last, own] = [state.messages[0]?.id, state.messages.at(-1)?.id, state.unsent.at(-1)?.clientId];
  const toEnd = () => {
    const element = scroll.current;
    if (element) element.scrollTop = element.scrollHeight;
    setHasNews(false);
  };
  // Who reads earlier messages is not moved, but told of new ones.
  useLayoutEffect(() => (isAtEnd.current ? toEnd() : setHasNews(last !== undefined)), [last]);
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  }, [state.isAwaiting]);
  useLayoutEffect(() => {
    if (own !== undefined) toEnd();
  }, [own]);
  // What is read stays where it is when earlier messages are added above.
  const fromEnd = useRef(0);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (element && !isAtEnd.current) element.scrollTop = element.scrollHeight - fromEnd.current;
  }, [first]);
  return (
    <div
      class="scroll"
      ref={scroll}
      tabIndex={0}
      role="region"
      aria-label={settings.title}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        fromEnd.current = scrollHeight - scrollTop;
        if (isAtEnd.current) setHasNews(false);
      }}
    >
      {state.hasEarlier && (
        <p>
          <button type="button" class="plain" onClick={() => void conversation.readEarlier()}>
            {texts.earlier}
          </button>
        </p>
      )}
      <div class="log" role="log" aria-live="polite" aria-busy={state.isReading}>
        {greeting !== null && greeting !== '' && !state.hasEarlier && (
          <div class="message">
            <LinkedText text={greeting} />
          </div>
        )}
        {state.messages.map((message) => (
          <Bubble key={message.id} message={message} texts={texts} language={language} />
        ))}
        {state.unsent.map((unsent) => (
          <Waiting key={unsent.clientId} unsent={unsent} state={state} texts={texts} retry={() => conversation.retry()} />
        ))}
        {state.isAwaiting && (
          <div class="message typing">
            <span />
            <span />
            <span />
            <i class="hidden">{texts.typing}</i>
          </div>
        )}
      </div>
      {hasNews && (
        <p class="news">
          <button type="button" onClick={toEnd}>
            {texts.newMessage}
          </button>
        </p>
      )}
    </div>
  );
}

function Bubble({ message, texts, language }: { readonly message: Message; readonly texts: Texts; readonly language: string }) {
  const { from, text, media, at } = message;
  const who = from === 'visitor' ? texts.you : texts[from];
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', ...(!isToday && { dateStyle: 'short' }) }).format(date);
  return (
    <div class={`message ${from}`}>
      {media ? <Media media={media} /> : <LinkedText text={text} />}
      <small class="about">
        {who} · <time dateTime={at}>{time}</time>
      </small>
    </div>
  );
}

function Media({ media: { name, mime_type: type, url } }: { readonly media: NonNullable<Message['media']> }) {
  return (
    <a href={url} target="_blank" rel="noopener">
      {type.startsWith('image/') ? <img src={url} alt={name} width="240" height="180" loading="lazy" /> : name}
    </a>
  );
}

interface WaitingProps {
  readonly unsent: Unsent;
  readonly state: State;
  readonly texts: Texts;
  readonly retry: () => void;
}

function Waiting({ unsent: { text, hasFailed }, state, texts, retry }: WaitingProps) {
  return (
    <div class="message visitor">
      <LinkedText text={text} />
      <small class={hasFailed ? 'about alarm' : 'about'}>
        {hasFailed ? (
          <>
            {state.isLimited ? texts.tooMany : texts.notSent}{' '}
            <button type="button" class="plain" onClick={retry}>
              {texts.tryAgain}
            </button>
          </>
        ) : (
          texts.waiting
        )}
      </small>
    </div>
  );
}

interface WritingProps {
  readonly texts: Texts;
  readonly memory: Memory;
  readonly write: (text: string) => void;
}

function Writing({ texts, memory, write }: WritingProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const send = () => {
    const text = field.current?.value.trim() ?? '';
    if (text === '' || !field.current) return;
    write(text);
    field.current.value = '';
    follow();
    field.current.focus();
  };
  /** Keeps the text for a reload, and makes the field as high as it is, within limits. */
  const follow = () => {
    if (!field.current) return;
    memory.draft = field.current.value;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight + 2}px`;
  };
  useLayoutEffect(follow, []);
  return (
    <form
      class="write"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="hidden" for="text">
        {texts.write}
      </label>
      <textarea
        id="text"
        ref={field}
        rows={1}
        maxLength={longest}
        dir="auto"
        placeholder={texts.write}
        defaultValue={memory.draft}
        onInput={follow}
        onKeyDown={(event) => {
          // Enter ends the choice of a word in some writing systems.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit">{texts.send}</button>
    </form>
  );
}
