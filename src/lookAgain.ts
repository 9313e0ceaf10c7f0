/** The parameter of a resource call after which the back end looks at the server anew. */
export const LOOK_AGAIN = { again: 'true' };
