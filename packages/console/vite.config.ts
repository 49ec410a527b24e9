import react from '@vitejs/plugin-react'
import type { UserConfig } from 'vite'

/**
 * One build for every address: the page says by its `<base>` where the service is, so nothing in it begins with a
 * slash. Everything that has a hash in its name stands under `console/assets/`.
 */
const config: UserConfig = {
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  // `npx vite packages/console` beside a service on its usual port: sign in at the address that Vite prints
  server: {
    proxy: Object.fromEntries(
      ['/api', '/accounts', '/assets', '/_allauth'].map((path) => [path, 'http://127.0.0.1:7070']),
    ),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'console/assets',
    // A `data:` address would need the content security policy to allow it for fonts and scripts as well.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
    manifest: true,
    reportCompressedSize: false,
  },
}
export default config
