import type { Translate } from '../templates/translations.ts'

/** The first that fits: browsers name those they descend from as well. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdgA?(?:iOS)?\//],
  ['Opera', /\bOPR\/|\bOpera\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Yandex', /\bYaBrowser\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /\bChrome\/|\bCriOS\/|\bChromium\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
  ['curl', /^curl\//],
]
const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac(?:intosh| ?OS)/],
  ['Linux', /\bLinux\b/],
]

const matchName = (table: typeof BROWSERS, text: string): string | null =>
  table.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** Returns a readable device name for a `User-Agent`, or the header itself if it is unknown. */
export function deviceName(userAgent: string, t: Translate): string {
  const [browser, system] = [matchName(BROWSERS, userAgent), matchName(SYSTEMS, userAgent)]
  if (browser !== null && system !== null) return t('{browser} on {system}', { browser, system })
  return browser ?? system ?? (userAgent === '' || userAgent === 'Unspecified' ? t('Unknown device') : userAgent)
}
