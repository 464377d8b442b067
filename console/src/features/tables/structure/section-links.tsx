/** Links to the sections of the page. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import classes from './structure.module.css';

/** Lists the sections that are shown. A link scrolls to its section and moves the focus there. */
export function SectionLinks() {
  const links = useRef<HTMLElement>(null);
  const [titles, setTitles] = useState<readonly string[]>([]);
  // The sections are shown one after the other while their data are read.
  useEffect(() => {
    const page = links.current?.parentElement;
    if (page === null || page === undefined) return undefined;
    const read = (): void => {
      const found = headingsIn(page).map(({ textContent }) => textContent ?? '');
      setTitles((before) => (before.join('\n') === found.join('\n') ? before : found));
    };
    read();
    const observer = new MutationObserver(read);
    observer.observe(page, { childList: true });
    return () => observer.disconnect();
  }, []);
  const open = (title: string): void => {
    const page = links.current?.parentElement;
    const heading = page && headingsIn(page).find(({ textContent }) => textContent === title);
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'start' });
  };
  return (
    <nav ref={links} aria-label="Sections of the structure" className={classes.links}>
      {titles.map((title) => (
        <Button key={title} size="compact-xs" variant="subtle" color="gray" fw={400} onClick={() => open(title)}>
          {title}
        </Button>
      ))}
    </nav>
  );
}

function headingsIn(page: HTMLElement): readonly HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>(':scope > section > h3')];
}
