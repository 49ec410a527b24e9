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

const found = (table: typeof BROWSERS, text: string): string | null =>
  table.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** What people call the device of a `User-Agent`; what is not known stands for itself. */
export function deviceName(userAgent: string, t: Translate): string {
  const [browser, system] = [found(BROWSERS, userAgent), found(SYSTEMS, userAgent)]
  if (browser !== null && system !== null) return t('{browser} on {system}', { browser, system })
  return browser ?? system ?? (userAgent === '' || userAgent === 'Unspecified' ? t('Unknown device') : userAgent)
}
