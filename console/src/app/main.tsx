/** Starts the console in the page. */
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { styleNonce } from '../ui/editor/style-nonce.ts';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element "root"');
createRoot(root).render(
  <StrictMode>
    <App nonce={styleNonce(document)} />
  </StrictMode>,
);
