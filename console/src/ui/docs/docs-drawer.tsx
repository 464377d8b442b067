/** A page of the documentation, which is built into the console. */
import { Anchor, Button, Typography } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Children, isValidElement, type ReactNode, useEffect, useRef, useState } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { toFailure } from '../../api/failure.ts';
import { DetailDrawer } from '../dialog/detail-drawer.tsx';
import { FailureNotice } from '../feedback/failure-notice.tsx';
import { Loading } from '../feedback/loading.tsx';
import classes from './docs.module.css';
import { anchorOf, type DocsPlace, placeOfLink } from './docs-pages.ts';

const files = import.meta.glob<string>('../../../../docs/*.md', { query: '?raw', import: 'default' });

interface DocsDrawerProps {
  /** Undefined closes the drawer. */
  readonly place: DocsPlace | undefined;
  readonly onClose: () => void;
}

export function DocsDrawer({ place, onClose }: DocsDrawerProps) {
  return (
    <DetailDrawer subject={place} title="Documentation" size="details" onClose={onClose}>
      {(shown) => <Pages first={shown} />}
    </DetailDrawer>
  );
}

/** Follows links between pages within the drawer. */
function Pages({ first }: { readonly first: DocsPlace }) {
  const [places, setPlaces] = useState<readonly DocsPlace[]>([first]);
  const place = places.at(-1) ?? first;
  const root = useRef<HTMLDivElement>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['docs', place.page],
    queryFn: () => readPage(place.page),
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (data === undefined) return;
    const target = place.section === undefined ? null : root.current?.querySelector(`[id="docs-${place.section}"]`);
    (target ?? root.current)?.scrollIntoView({ block: 'start' });
  }, [data, place]);
  if (error !== null) {
    return <FailureNotice title="The documentation could not be loaded" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  return (
    <div ref={root} className={classes.page}>
      {places.length > 1 && (
        <Button size="xs" variant="default" mb="md" onClick={() => setPlaces(places.slice(0, -1))}>
          Previous page
        </Button>
      )}
      <Anchor href={addressOf(place)} target="_blank" rel="noreferrer" size="sm" display="block" mb="md">
        Open in a new tab
      </Anchor>
      <Typography>
        <Markdown
          remarkPlugins={[remarkGfm]}
          components={componentsFor(place.page, (next) => setPlaces([...places, next]))}
        >
          {data}
        </Markdown>
      </Typography>
    </div>
  );
}

/** The page of the site that every node serves. */
function addressOf({ page, section }: DocsPlace): string {
  return `/docs/${page}${section === undefined ? '' : `#${section}`}`;
}

async function readPage(page: string): Promise<string> {
  const load = files[`../../../../docs/${page}.md`];
  if (load === undefined) throw new Error(`this build of the console has no page ${page} of the documentation`);
  return load();
}

function componentsFor(page: string, onOpen: (place: DocsPlace) => void): Components {
  return {
    // Pictures are not part of the build.
    img: () => null,
    h1: ({ children }) => <h2 id={idOf(children)}>{children}</h2>,
    h2: ({ children }) => <h3 id={idOf(children)}>{children}</h3>,
    h3: ({ children }) => <h4 id={idOf(children)}>{children}</h4>,
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
    a: ({ href = '', children }) => {
      const place = placeOfLink(href, page);
      if (place !== undefined) {
        return (
          <Anchor component="button" type="button" inherit onClick={() => onOpen(place)}>
            {children}
          </Anchor>
        );
      }
      if (!/^https?:/.test(href)) return children;
      return (
        <Anchor href={href} target="_blank" rel="noreferrer" inherit>
          {children}
        </Anchor>
      );
    },
  };
}

function idOf(heading: ReactNode): string {
  return `docs-${anchorOf(textOf(heading))}`;
}

function textOf(node: ReactNode): string {
  return Children.toArray(node)
    .map((one) => (isValidElement<{ readonly children?: ReactNode }>(one) ? textOf(one.props.children) : String(one)))
    .join('');
}
