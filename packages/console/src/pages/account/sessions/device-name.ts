/** What a browser says of itself, in words. `null`: it does not say, or nothing that is known here. */
export interface DeviceName {
  readonly browser: string | null
  readonly system: string | null
}

type Signs = readonly (readonly [sign: RegExp, name: string])[]

/** In an order in which those come first that claim to be others too. */
const BROWSERS: Signs = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bMicroMessenger\//, '微信'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(?:node|undici|python|okhttp|Dart)\b/i, 'App'],
]
const SYSTEMS: Signs = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const nameIn = (signs: Signs, userAgent: string): string | null =>
  signs.find(([sign]) => sign.test(userAgent))?.[1] ?? null

/** @param userAgent The header `User-Agent`, as somebody sent it. */
export const deviceName = (userAgent: string): DeviceName => ({
  browser: nameIn(BROWSERS, userAgent),
  system: nameIn(SYSTEMS, userAgent),
})
