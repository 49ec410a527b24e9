import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'

/**
 * One build works at any URL: the page's `<base>` points to the service, so no URL in the build starts with a slash.
 * Files with a content hash in their name are in `console/assets/`.
 */
const config: UserConfig = {
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  // `npx vite packages/console` next to a service on the default port: sign in at the URL that Vite prints
  server: {
    proxy: Object.fromEntries(
      ['/api', '/accounts', '/assets', '/_allauth'].map((path) => [path, 'http://127.0.0.1:7070']),
    ),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'console/assets',
    // a `data:` URL would have to be allowed for fonts and scripts in the content security policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    manifest: true,
    reportCompressedSize: false,
  },
}
export default config
