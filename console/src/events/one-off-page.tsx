/** One-off events: three lists in tabs, and the form for a new one. What is typed into the form outlives a look at a list. */
import { useEffect, useState } from 'react';
import { go } from '../router/place.ts';
import { emptyDraft } from './draft.ts';
import { EventTabs, isTab } from './event-tabs.tsx';
import { SchedulePage } from './schedule-page.tsx';

interface OneOffPageProps {
  readonly params: Readonly<Record<string, string>>;
}

export function OneOffPage({ params }: OneOffPageProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const view = params.view ?? '';
  const known = view === 'schedule' || isTab(view);
  useEffect(() => {
    if (!known) go('/events/one-off/pending', { replace: true });
  }, [known]);
  if (view === 'schedule') return <SchedulePage draft={draft} onChange={setDraft} />;
  return isTab(view) ? <EventTabs tab={view} /> : null;
}
