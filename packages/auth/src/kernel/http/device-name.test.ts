import { expect, it } from 'vitest'
import { createTranslations } from '../templates/translations.ts'
import { deviceName } from './request-headers.ts'

const t = createTranslations({ languages: ['en'] }).translator('en')

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15',
    'Safari on Mac',
  ],
  ['curl/8.9.1', 'curl'],
  ['Gatepost-App/2 (Linux)', 'Linux'],
  ['TestBrowser/1.0', 'TestBrowser/1.0'],
  ['Unspecified', 'Unknown device'],
  ['', 'Unknown device'],
])('%s', (userAgent, name) => {
  expect(deviceName(userAgent, t)).toBe(name)
})
