import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

// The page runs under `script-src 'self'; style-src 'self'; font-src 'self'`: nothing may be inlined, neither assets nor the
// module-preload polyfill. `--mode fake` builds the same page over invented data, for screenshots and measurements.
export default defineConfig(({ mode }) => ({
  plugins: [react({ compiler: true })],
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
  preview: { host: '127.0.0.1', port: 4173, strictPort: true },
  build: {
    target: ['safari16.4', 'chrome111'],
    outDir: mode === 'fake' ? 'dist-fake' : 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    sourcemap: false,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./src/test/setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' as const } },
    restoreMocks: true,
    // A limit for what hangs, not for what is slow: two cores may be busy with other builds.
    testTimeout: 30_000,
    // Vitest leaves one core free, which on two cores doubles the time.
    maxWorkers: '100%',
  },
}));
