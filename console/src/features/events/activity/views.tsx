/** Views of the list: those of the console, and searches that the user saves in the browser. */
import { Anchor, Button, Menu, Popover, TextInput } from '@mantine/core';
import { useState } from 'react';
import { linkTo, navigate, useLocation } from '../../../router/location.ts';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import classes from './activity.module.css';
import { removeView, savedViews, saveView, usualViews, type View } from './saved-views.ts';
import { activityPath, readSearch } from './search-state.ts';

export function Views() {
  const { search } = useLocation();
  const [saved, setSaved] = useState(() => savedViews(window.localStorage));
  const current = activityPath(readSearch(search));
  return (
    <nav className={classes.views} aria-label="Views">
      {[...usualViews, ...saved].map((view) => (
        <Anchor
          key={view.name}
          className={classes.status ?? ''}
          underline="never"
          c="inherit"
          aria-current={view.path === current ? 'page' : undefined}
          {...linkTo(view.path)}
        >
          {view.name}
        </Anchor>
      ))}
      <SaveView path={current} onSave={(view) => setSaved(saveView(window.localStorage, view))} />
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size="compact-sm" variant="subtle" color="gray">
            View options
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void copyLink()}>Copy the link to this view</Menu.Item>
          {saved.map(({ name, path }) => (
            <Menu.Item
              key={name}
              onClick={() => {
                setSaved(removeView(window.localStorage, name));
                notify({
                  title: `View “${name}” deleted`,
                  text: (
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      onClick={() => setSaved(saveView(window.localStorage, { name, path }))}
                    >
                      Undo
                    </Anchor>
                  ),
                });
              }}
            >
              Delete “{name}”
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  );
}

async function copyLink(): Promise<void> {
  const link = window.location.href;
  try {
    await navigator.clipboard.writeText(link);
    notify({ title: 'Link copied', text: link });
  } catch {
    notify({ title: 'The browser does not permit access to the clipboard', text: link });
  }
}

interface SaveViewProps {
  readonly path: string;
  readonly onSave: (view: View) => void;
}

function SaveView({ path, onSave }: SaveViewProps) {
  const [opened, setOpened] = useState(false);
  const form = useDraftForm<{ readonly name: string }>({
    initial: { name: '' },
    isTransient: true,
    validate: ({ name }) => ({ name: name.trim() === '' ? 'Enter a name.' : undefined }),
  });
  const submit = form.onSubmit(({ name }) => {
    onSave({ name: name.trim(), path });
    setOpened(false);
    notify({ title: `View “${name.trim()}” saved`, text: 'It is stored in this browser. Its link can be shared.' });
    navigate(path);
  });
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button size="compact-sm" variant="default" onClick={() => setOpened(!opened)}>
          Save view
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit} noValidate className={classes.bar}>
          <TextInput
            size="xs"
            label="Name of the view"
            value={form.values.name}
            onChange={(event) => form.change({ name: event.currentTarget.value })}
            error={form.errors.name}
          />
          <Button type="submit" size="xs" style={{ alignSelf: 'flex-end' }}>
            Save
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
