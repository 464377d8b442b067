/** Editor extension that shows the documentation of the field, argument or type under the mouse. */
import { EditorView, type Extension, hoverTooltip } from '@uiw/react-codemirror';
import type { GraphQLSchema } from 'graphql';
import type { DocPlace } from '../docs/search-index.ts';
import { type Described, describedAt } from './described.ts';

/** `classes` are those of the tooltip and its parts. */
interface HoverOptions {
  readonly schema: GraphQLSchema;
  readonly classes: Readonly<Record<string, string | undefined>>;
  readonly onDocs: (place: DocPlace) => void;
}

export function hoverDocs({ schema, classes, onDocs }: HoverOptions): Extension {
  return [
    hoverTooltip((view, offset) => {
      const described = describedAt(view.state.doc.toString(), offset, schema);
      if (described === undefined) return null;
      return {
        pos: described.from,
        end: described.to,
        above: true,
        create: () => ({ dom: tooltip(described, classes, onDocs) }),
      };
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        if (!event.ctrlKey && !event.metaKey) return false;
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const described = offset === null ? undefined : describedAt(view.state.doc.toString(), offset, schema);
        if (described === undefined) return false;
        onDocs(described.place);
        return true;
      },
    }),
  ];
}

function tooltip(described: Described, classes: HoverOptions['classes'], onDocs: HoverOptions['onDocs']): HTMLElement {
  const box = document.createElement('div');
  box.className = classes.hover ?? '';
  const signature = document.createElement('div');
  signature.className = classes.signature ?? '';
  signature.textContent = described.signature;
  box.append(signature);
  if (described.about !== '') {
    const about = document.createElement('div');
    about.textContent = described.about;
    box.append(about);
  }
  const link = document.createElement('button');
  link.type = 'button';
  link.className = classes.link ?? '';
  link.textContent = 'Open in docs';
  link.addEventListener('click', () => onDocs(described.place));
  box.append(link);
  return box;
}
