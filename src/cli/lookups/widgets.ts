import { getWidget, listWidgets } from '../../contract/areas/widgets/endpoints.ts';
import { fold } from '../../contract/text/fold.ts';
import { lookup } from '../verb/lookup.ts';

/** Widgets by name, case-insensitive. */
export const widgetLookup = lookup(listWidgets, 'widgets', 'name', { get: getWidget, folded: fold });
