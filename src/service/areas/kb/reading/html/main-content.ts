import { removeClutter } from './clutter.ts';
import { contentElement } from './content-element.ts';
import type { PageDocument, PageNode } from './dom.ts';
import { removeFrame } from './frame.ts';
import { removeHidden } from './hidden.ts';
import { keepLayoutForms } from './layout-forms.ts';
import { removeNoise } from './noise.ts';
import { keepOpeners } from './openers.ts';
import { removePageMenus } from './page-menus.ts';
import { markOpened } from './panels.ts';
import { removeNavigation } from './site-navigation.ts';
import { removeRepeats } from './repeats.ts';
import { removeTeasers } from './teasers.ts';

/** Finds the main content of a page, and removes from the document what is never content, or beside it. */
export function mainContent(document: PageDocument): PageNode {
  markOpened(document);
  removeNoise(document);
  removeNavigation(document);
  removeFrame(document);
  prepareContent(document);
  removeHidden(document);
  removeRepeats(document);
  removeClutter(document);
  return contentElement(document);
}

/** All content of a page that has no main content: with what looks like clutter only by its name. */
export function wholeContent(document: PageDocument): PageNode {
  markOpened(document);
  removeNoise(document);
  removeNavigation(document);
  prepareContent(document);
  return document.body;
}

/** Removes links to other parts and pages, and shows what a click or a form hides. */
function prepareContent(document: PageDocument): void {
  removeTeasers(document);
  removePageMenus(document);
  keepOpeners(document);
  keepLayoutForms(document);
}
