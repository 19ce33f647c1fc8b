/** Startup: finds the host, loads what the first render needs, then renders once. */
import './design/tokens.css';
import './design/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { call, createQueryClient, rpcKey } from './api';
import { stamped } from './api/optimistic';
import { App, StartFailure, enterFirstPanel, preloadFirstPanel } from './app/App';
import { setTheme } from './app/theme';
import { openPlatform } from './platform';
import { loadUiState } from './state';

async function start(): Promise<void> {
  const host = document.getElementById('root');
  if (!host) return;
  const root = createRoot(host);
  try {
    await openPlatform();
    const client = createQueryClient();
    const [status, settings] = await Promise.all([stamped(() => call('app_status', {})), call('settings_get', {}), loadUiState().then(preloadFirstPanel)]);
    client.setQueryData(rpcKey('app_status', {}), status);
    client.setQueryData(rpcKey('settings_get', {}), settings);
    setTheme(settings.theme);
    enterFirstPanel(status);
    root.render(
      <StrictMode>
        {/* The content security policy does not allow style elements created at run time. */}
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={client}>
            <Tooltip.Provider>
              <App />
            </Tooltip.Provider>
          </QueryClientProvider>
        </CSPProvider>
      </StrictMode>,
    );
  } catch (thrown) {
    root.render(<StartFailure detail={thrown instanceof Error ? thrown.message : String(thrown)} />);
  }
}

void start();
