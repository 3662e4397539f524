typedef double Number;
