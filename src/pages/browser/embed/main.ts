// Adds a widget to a site: a button, and the page of the widget in a frame. It needs `script-src` and `frame-src` of the service from the
// policy of the site, and nothing inline: its styles are a constructed sheet in a shadow root.

interface Settings {
  /** The address of the page of the widget. */
  readonly url: string;
  readonly title: string;
  readonly colour: string;
  readonly onColour: string;
  readonly position: 'left' | 'right';
  readonly language: string;
  readonly openChat: string;
  readonly closeChat: string;
}

/** The service writes it before this script. */
declare const settings: Settings;

/** The only global name, which keeps a script that is there twice from doing anything twice. */
const mark = 'msgctlWidgets';

const styles = ({ colour, onColour, position }: Settings) => `
:host{all:initial!important;display:block!important;pointer-events:auto!important;color-scheme:inherit!important}
button{all:unset;box-sizing:border-box;position:fixed;bottom:20px;${position}:20px;width:56px;height:56px;border-radius:50%;
background:${colour};color:${onColour};cursor:pointer;display:grid;place-items:center;z-index:2147483647;box-shadow:0 2px 12px #0006}
button:focus-visible{outline:3px solid ${onColour};outline-offset:-6px;box-shadow:0 0 0 3px ${colour}}
svg{width:28px;height:28px;fill:none;stroke:currentcolor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
iframe{position:fixed;bottom:88px;${position}:20px;width:min(400px,calc(100vw - 40px));height:min(640px,calc(100vh - 108px));border:0;
border-radius:14px;box-shadow:0 4px 28px #0006;z-index:2147483647;color-scheme:inherit;background:Canvas}
iframe[hidden]{display:none}
@media (max-width:480px){iframe{inset:0 0 88px 0;width:100vw;height:auto;height:calc(100dvh - 88px);border-radius:0}}
@media (max-height:400px){iframe{inset:48px 0 0 0;width:100vw;height:calc(100dvh - 48px);border-radius:0}
button[aria-expanded=true]{bottom:auto;top:4px;width:40px;height:40px}}
@media (forced-colors:active){button{border:2px solid ButtonText}iframe{border:1px solid CanvasText}}
@media print{:host{display:none}}`;

const icons = { open: 'M21 12a8 8 0 0 1-11.6 7.1L4 21l1.9-5.4A8 8 0 1 1 21 12z', close: 'M6 6l12 12M18 6L6 18' };

/** Draws an icon. Nothing is parsed, which the policy of a site may forbid. */
function draw(icon: keyof typeof icons): SVGElement {
  const [svg, path] = ['svg', 'path'].map((name) => document.createElementNS('http://www.w3.org/2000/svg', name)) as [
    SVGElement,
    SVGElement,
  ];
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', icons[icon]);
  svg.append(path);
  return svg;
}

/** Whether a site has only light colours: it says nothing of others. */
function isLightOnly(): boolean {
  return getComputedStyle(document.body).colorScheme === 'normal' && !document.querySelector('meta[name="color-scheme"]');
}

function add(): HTMLElement {
  const { url, title, language, openChat, closeChat } = settings;
  const host = document.createElement('div');
  host.lang = language;
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
    button.replaceChildren(draw(isOpen ? 'close' : 'open'));
    if (!frame && isOpen) {
      frame = document.createElement('iframe');
      frame.src = url;
      frame.title = title;
      frame.allow = 'autoplay';
      if (isLightOnly()) frame.style.colorScheme = 'light';
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
    // Escape elsewhere on the site is about something else.
    if (key === 'Escape' && isOpen() && (document.activeElement === host || document.activeElement === document.body)) show(false);
  });
  addEventListener('message', ({ source, origin, data }) => {
    if (data === 'msgctl:close' && source === frame?.contentWindow && origin === new URL(url).origin && isOpen()) show(false);
  });
  root.append(button);
  show(false);
  document.body.append(host);
  return host;
}

const widgets = ((window as unknown as Record<string, Map<string, HTMLElement | null> | undefined>)[mark] ??= new Map<
  string,
  HTMLElement | null
>());

/** Adds the widget once. Where a site has replaced its body, the widget comes back. */
function ensure(): void {
  const host = widgets.get(settings.url);
  if (!host) widgets.set(settings.url, add());
  else if (!host.isConnected) document.body.append(host);
}

if (document.body) ensure();
else addEventListener('DOMContentLoaded', ensure);
