import { useSyncExternalStore } from 'react'
import { storedText } from '../browser-storage.ts'

/** `system` follows the device's setting. */
export const THEMES = ['system', 'light', 'dark'] as const
/** The name of a theme. */
export type Theme = (typeof THEMES)[number]

const storedTheme = storedText('browser', 'gatepost-theme')
const watchers = new Set<() => void>()

function readTheme(): Theme {
  const stored = storedTheme.get()
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Applies the theme stored in this browser. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = readTheme()
}

/** Stores and applies a theme. */
export function changeTheme(theme: Theme): void {
  storedTheme.set(theme)
  applyTheme()
  for (const changed of watchers) changed()
}

/** Returns the selected theme. */
export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, readTheme)
