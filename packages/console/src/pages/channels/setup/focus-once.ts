/** As `ref`: whatever takes the place of a form gets the focus, so that nobody is left at the beginning of the page. */
export const focusOnce = (node: HTMLElement | null): void => node?.focus({ preventScroll: true })
