import { useSyncExternalStore } from 'react'
import { keptText } from '../browser-storage.ts'

/** `system`: as the device is set. */
export const THEMES = ['system', 'light', 'dark'] as const
/** The name of a theme. */
export type Theme = (typeof THEMES)[number]

const kept = keptText('browser', 'gatepost-theme')
const watchers = new Set<() => void>()

function chosen(): Theme {
  const stored = kept.get()
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Shows what was chosen in this browser. */
export function showTheme(): void {
  document.documentElement.dataset['theme'] = chosen()
}

/** Chooses light, dark, or what the device says. */
export function changeTheme(theme: Theme): void {
  kept.set(theme)
  showTheme()
  for (const changed of watchers) changed()
}

/** What is chosen. */
export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, chosen)
