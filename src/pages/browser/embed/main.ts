// Adds a widget to a site: a button, and the page of the widget in a frame. It needs `script-src` and `frame-src` of the service from the
// policy of the site, and nothing inline: its styles are a constructed sheet in a shadow root.

interface Settings {
  /** The address of the page of the widget. */
  readonly url: string;
  readonly title: string;
  readonly colour: string;
  readonly onColour: string;
  readonly position: 'left' | 'right';
  readonly openChat: string;
  readonly closeChat: string;
}

/** The service writes it before this script. */
declare const settings: Settings;

/** The only global name, which keeps a script that is there twice from doing anything twice. */
const mark = 'msgctlWidgets';

const styles = ({ colour, onColour, position }: Settings) => `
:host{all:initial;color-scheme:light dark}
button{all:unset;box-sizing:border-box;position:fixed;bottom:20px;${position}:20px;width:56px;height:56px;border-radius:50%;
background:${colour};color:${onColour};cursor:pointer;display:grid;place-items:center;z-index:2147483647;box-shadow:0 2px 12px #0006}
button:focus-visible{outline:3px solid ${onColour};outline-offset:-6px;box-shadow:0 0 0 3px ${colour}}
svg{width:28px;height:28px;fill:none;stroke:currentcolor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
iframe{position:fixed;bottom:88px;${position}:20px;width:min(400px,calc(100vw - 40px));height:min(640px,calc(100vh - 108px));border:0;
border-radius:14px;box-shadow:0 4px 28px #0006;z-index:2147483647;color-scheme:light dark;background:Canvas}
iframe[hidden]{display:none}
@media (max-width:480px){iframe{inset:0 0 88px 0;width:100vw;height:auto;height:calc(100dvh - 88px);border-radius:0}}
@media (forced-colors:active){button{border:2px solid ButtonText}}
@media print{:host{display:none}}`;

const open = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M21 12a8 8 0 0 1-11.6 7.1L4 21l1.9-5.4A8 8 0 1 1 21 12z"/></svg>';
const close = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>';

function add(): void {
  const { url, title, openChat, closeChat } = settings;
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles(settings));
  root.adoptedStyleSheets = [sheet];
  const button = document.createElement('button');
  button.type = 'button';
  let frame: HTMLIFrameElement | undefined;
  let before: HTMLElement | null = null;

  const show = (isOpen: boolean) => {
    button.setAttribute('aria-label', isOpen ? closeChat : openChat);
    button.setAttribute('aria-expanded', String(isOpen));
    const icon = new DOMParser().parseFromString(
      (isOpen ? close : open).replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"'),
      'image/svg+xml',
    );
    button.replaceChildren(icon.documentElement);
    if (!frame && isOpen) {
      frame = document.createElement('iframe');
      frame.src = url;
      frame.title = title;
      frame.allow = 'autoplay';
      root.append(frame);
    }
    if (!frame) return;
    frame.hidden = !isOpen;
    if (isOpen) {
      before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      frame.focus();
    } else {
      // Focus goes back to where it was.
      const target = before && before !== document.body && before !== host ? before : button;
      target.focus();
    }
  };
  const isOpen = () => frame?.hidden === false;
  button.addEventListener('click', () => show(!isOpen()));
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isOpen()) show(false);
  });
  addEventListener('message', ({ source, origin, data }) => {
    if (data === 'msgctl:close' && source === frame?.contentWindow && origin === new URL(url).origin && isOpen()) show(false);
  });
  root.append(button);
  show(false);
  document.body.append(host);
}

const known = ((window as unknown as Record<string, Set<string> | undefined>)[mark] ??= new Set());
if (!known.has(settings.url)) {
  known.add(settings.url);
  if (document.body) add();
  else addEventListener('DOMContentLoaded', add);
}
