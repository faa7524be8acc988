import { tidy, titleFrom } from '../sections.ts';

/** Titles that programs give to documents: file names, and names of documents without one. */
const programTitles = [
  /^\(?microsoft (word|excel|powerpoint|publisher) - |^(word|excel|powerpoint) - | - google (docs|sheets|slides)$/i,
  /^([a-z]:)?[\\/]|^file:|^[^\s_]+_\S+$|^\d{8,}$/i,
  /\.(docx?|docm|dotx?|xlsx?|pptx?|pdf|rtf|odt|ods|odp|pages|key|numbers|indd|qxp|pub|tex|dvi|ps|txt|md|html?|csv|wpd)(\s[[(].*[\])])?$/i,
  /^(untitled|untitled document|doc|document|presentation|powerpoint presentation|slide|scan|unbenannt|dokument|präsentation|sans titre|sin título|senza titolo|文書|無題)[\s_-]*\d*$/iu,
];

/** The title of a document; null when it is blank, or says nothing of the content. */
export function documentTitle(text: string): string | null {
  return programTitles.some((form) => form.test(tidy(text))) ? null : titleFrom(text);
}
