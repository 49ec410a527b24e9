import { useSyncExternalStore } from 'react'

/** `system`: as the device is set. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'gatepost-theme'
const watchers = new Set<() => void>()

function chosen(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Shows what was chosen in this browser. */
export function showTheme(): void {
  document.documentElement.dataset['theme'] = chosen()
}

/** Chooses light, dark, or what the device says. */
export function changeTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  showTheme()
  for (const changed of watchers) changed()
}

/** What is chosen. */
export const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, chosen)
